"""The work: phases, qualification, leases, answers, grading, payment, withdrawal."""
