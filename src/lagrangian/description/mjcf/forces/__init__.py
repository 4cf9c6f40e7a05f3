"""What acts in an MJCF model beside its joints: tendons, actuators, gravity compensation."""
