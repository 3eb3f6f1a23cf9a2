"""The laws of the losses of noise that have a density: tails, transforms, and on a sample.

How many nodes a transform takes is chosen in doubles; what the nodes miss is bounded in balls.
"""
