//! The limits at which a proof may stop before it is complete.

use std::time::Instant;

use super::Weight;

/// The limits at which [`Solver::bound`](super::Solver::bound) may stop.
#[derive(Clone, Copy, Debug)]
pub struct Limit<W> {
    /// The difference of the bounds that is small enough.
    pub slack: W,
    /// The time to stop at, whatever the difference; without one, only the difference counts.
    pub until: Option<Instant>,
}

impl<W: Weight> Limit<W> {
    /// Whether the time is over.
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

/// The steps between two checks: well below a millisecond of bids.
const STEPS: u32 = 1 << 10;

impl Clock {
    /// A clock that rings at a time, if there is one.
    pub(super) fn new(until: Option<Instant>) -> Self {
        Self { until, steps: 0, over: false }
    }

    /// Whether the time was over at the last check.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Counts a step; returns whether the time is over.
    pub(super) fn ticks_over(&mut self) -> bool {
        self.steps += 1;
        if self.steps == STEPS {
            self.steps = 0;
            self.over = self.until.is_some_and(|until| Instant::now() >= until);
        }
        self.over
    }
}
