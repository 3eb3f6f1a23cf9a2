"""The trial of Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019."""
