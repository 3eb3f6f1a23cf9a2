"""The best of several runs: hyperparameter tuning, exactly for finite pairs and by theorems."""
