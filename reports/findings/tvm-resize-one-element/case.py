"""TVM's Resize with align_corners does not compile where an output axis has one element"""
from frames.tvm import check, numpy, run

RESIZE = """(float[1, 1, 1, 2] x) => (float[1, 1, 1, 3] y) {
    y = Resize<mode = "linear", coordinate_transformation_mode = "align_corners">(x, , , sizes)
}"""
X = numpy.array([[[[0, 2]]]], numpy.float32)

check(("0 and 2 to three numbers", [[[[0, 1, 2]]]], run(RESIZE, X, sizes=numpy.array([1, 1, 1, 3], numpy.int64))))
