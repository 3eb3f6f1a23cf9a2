"""How much privacy does shuffling buy? A survey with four answers, 100 users, e^eps0 = 4.

Each user sends the true answer with probability 4/7 and each other answer with 1/7.
The analyzer sees how often each answer was sent. All other users hold answer 2.
"""

from exactdp import Epsilon, Users, Victim, decimal, randomized_response, shuffle_view

survey = randomized_response(4, Epsilon.log(4))
view = shuffle_view(Victim(survey, (0, 1)), [Users(survey, 2, 99)])
delta = view.delta(Epsilon.log(2))

print(f"{view.cells:,} histograms; delta at e^eps = 2 is {decimal(delta, digits=12)}")
print(f"as a fraction it has {len(str(delta)):,} characters")

small = shuffle_view(Victim(survey, (0, 1)), [Users(survey, 2, 9)])
epsilon = small.epsilon("1/1000")
print(
    f"10 users: e^eps with delta(eps) = 1/1000 is {decimal(epsilon.exp, digits=12)}, exactly found"
)
