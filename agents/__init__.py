"""The domain agents of the reference campus. Each is a service of its own; none imports another, or the supervisor."""
