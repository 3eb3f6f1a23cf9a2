"""Work is counted, within budgets that may be nested, whatever is remembered."""

import pickle

import pytest

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers.effort import remembered, spend, within_work
from exactdp.numbers.limits import Limit


def test_of_two_budgets_the_smaller_holds_and_its_own_block_refuses():
    with pytest.raises(TooLargeError, match="more than 100 operations"), within_work(100):
        with pytest.raises(TooLargeError, match="more than 10 operations"), within_work(10):
            spend(11)
        spend(90)  # the ten are spent
        try:
            with within_work(50):
                spend(1)
        except TooLargeError:  # it is not the inner block that is used up
            pytest.fail("an inner block has refused what the outer one has not")
    with pytest.raises(UndecidedError), within_work(1, UndecidedError("enough.")):
        spend(2)
    spend(10**9)  # nothing is counted elsewhere


def test_what_is_remembered_costs_what_it_took():
    @remembered(maxsize=4)
    def inner(x):
        spend(10)
        return x

    @remembered(maxsize=4)
    def outer(x):
        return inner(x) + inner(x)

    for _ in range(2):  # made, then remembered
        for enough, work in ((True, 20), (False, 19)):
            try:
                with within_work(work):
                    assert (outer(1), inner(1), outer(1), inner(1)) == (2, 1, 2, 1)
                assert enough
            except TooLargeError:
                assert not enough


def test_a_limit_goes_to_another_process():
    limit = pickle.loads(pickle.dumps(Limit(2**40, "memory")))
    assert (limit, limit.field, limit.now) == (2**40, "memory", 2**40)
