"""The pure judge: `decide` a submission, `tick` what is due, `evolve` events. No zones, no clocks, no chance of its own."""
