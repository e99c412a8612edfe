"""What one task is played with beside its functions: drawn tools at drawn prices, and what its user prefers."""

from toolscale.instances.instance import Instance
from toolscale.instances.instances import InstanceOptions, Instances, instance_options

__all__ = ["Instance", "InstanceOptions", "Instances", "instance_options"]
