"""Every record of tests/core/records.txt on the GPU or its stand-in: values and both derivatives are numpy's."""

import pytest

from tests.core.records import Record
from tests.core.test_records import RECORDS, arrays_of, compared


@pytest.mark.usefixtures("on_cuda")
@pytest.mark.parametrize("record", RECORDS)
def test_it_is_what_numpy_says(record: Record) -> None:
    compared(record, arrays_of(record))
