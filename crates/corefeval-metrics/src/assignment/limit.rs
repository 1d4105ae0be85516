//! The limits at which a proof may stop before it is complete.

use std::time::Instant;

use super::Weight;

/// The limits at which [`Solver::bound`](super::Solver::bound) may stop.
#[derive(Clone, Copy, Debug)]
pub struct Limit<W> {
    /// The difference between the bounds that is accepted.
    pub slack: W,
    /// The time at which to stop, regardless of the difference; without a time, only the difference counts.
    pub until: Option<Instant>,
}

impl<W: Weight> Limit<W> {
    /// Returns whether the time is up.
    pub(super) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Checks the time once in many steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    until: Option<Instant>,
    steps: u32,
    over: bool,
}

/// The number of steps between two checks, which take well below a millisecond.
const STEPS: u32 = 1 << 10;

impl Clock {
    /// Creates a clock for a time limit, if there is one.
    pub(super) fn new(until: Option<Instant>) -> Self {
        Self { until, steps: 0, over: false }
    }

    /// Returns whether the time was up at the last check.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Counts a step and returns whether the time is up.
    pub(super) fn ticks_over(&mut self) -> bool {
        self.steps += 1;
        if self.steps == STEPS {
            self.steps = 0;
            self.over = self.until.is_some_and(|until| Instant::now() >= until);
        }
        self.over
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn later() -> Option<Instant> {
        Instant::now().checked_add(Duration::from_secs(3600))
    }

    #[test]
    fn a_limit_is_over_when_its_time_is() {
        let over = |until| Limit { slack: 0_i64, until }.is_over();
        assert!(over(Some(Instant::now())));
        assert!(!over(later()) && !over(None));
    }

    #[test]
    fn a_clock_checks_the_time_once_in_many_steps() {
        let mut clock = Clock::new(Some(Instant::now()));
        assert!((1..STEPS).all(|_| !clock.ticks_over() && !clock.is_over()));
        assert!(clock.ticks_over() && clock.is_over());
        // Once the time is up, it stays up.
        assert!((0..2 * STEPS).all(|_| clock.ticks_over()));
        for until in [later(), None] {
            let mut clock = Clock::new(until);
            assert!((0..3 * STEPS).all(|_| !clock.ticks_over()) && !clock.is_over());
        }
    }
}
