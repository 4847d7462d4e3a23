"""tinygrad's Range of int64 and int16 gives int32"""
from frames.tinygrad import check
from frames.tinygrad_model import INT64, field, initializer, model, run_model, varint

INT16, INT32 = 5, 6


def made(data_type, kind):
    """0 to 3 by 1; int64 has a field of its own."""
    numbers = [initializer(name, data_type, [], field(7 if data_type == INT64 else 5, varint(n))) for name, n in zip("abc", (0, 3, 1))]
    have = run_model(model("Range", 11, "a b c", {}, (data_type, [3]), numbers), {}, typed=True)
    return kind, "[0, 1, 2] of " + kind, have


check(made(INT64, "long"), made(INT16, "short"), made(INT32, "int"))
