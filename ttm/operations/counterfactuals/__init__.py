"""What would have to be different for another prediction: `explain cfe`."""
