"""Stand-ins for the devices and platforms of pyopencl."""

import pyopencl as cl


class Fake:
    """What gascl asks of a pyopencl device."""

    def __init__(self, name, kind="CPU", units=4, clock=1000, **others):
        self.name, self.type = f" {name} ", getattr(cl.device_type, kind)
        self.max_compute_units, self.max_clock_frequency = units, clock
        self.max_work_group_size, self.int_ptr = 1024, id(self)
        self.global_mem_size, self.max_mem_alloc_size = 8 * 2**30, 2**30
        self.double_fp_config, self.compiler_available = 1, True
        self.__dict__.update(others)


class FakePlatform:
    version = "OpenCL 3.0"

    def __init__(self, name, *found):
        self.name, self.found = name, found
        for device in found:
            device.platform = self

    def get_devices(self):
        if not self.found:
            raise cl.LogicError("clGetDeviceIDs", cl.status_code.DEVICE_NOT_FOUND, "")
        return list(self.found)
