"""TVM's Cast to and from float8 moves fields of bits: 0 is not 0, and what is too large wraps"""
from frames.tvm import check, numpy, run

E4M3FN, E5M2 = 17, 19


def there_and_back(values, kind, to):
    array = numpy.array(values, {"float": "float32"}.get(kind, kind))
    text = "(%s[%d] x) => (float[%d] y) { code = Cast<to = %d>(x) y = Cast<to = 1>(code) }"
    return run(text % (kind, len(array), len(array), to), array)


check(
    ("17, 448 and 1000 to float8e4m3fn", [16, 448, 448], there_and_back([17, 448, 1000], "float", E4M3FN)),
    ("52712 of uint16 to float8e4m3fn", [448], there_and_back([52712], "uint16", E4M3FN)),
    ("0 and 0.001953125 to float8e4m3fn and back", [0, 0.001953125], there_and_back([0, 0.001953125], "float", E4M3FN)),
    ("1000000, infinities to float8e5m2", [57344, 57344, -57344], there_and_back([1e6, numpy.inf, -numpy.inf], "float", E5M2)),
)
