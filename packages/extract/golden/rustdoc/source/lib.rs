//! Reads tide gauges, fills the gaps in what they report, and predicts the water level at a harbour.
//!
//! # Getting started
//!
//! ```rust
//! use ebbtide::Gauge;
//!
//! let gauge = Gauge::open("skerry-point")?;
//! # // hidden line
//! for level in gauge.predict(24) {
//!     println!("{:.2} m", level.metres);
//! }
//! # Ok::<(), ebbtide::Error>(())
//! ```
//!
//! ## Features
//!
//! | Feature | Default | Adds |
//! |---------|:-------:|------|
//! | `surge` | no | the [surge model](surge) |
//! | `plot`  | yes | charts in `SVG` |
//!
//! Ask the [harbour board](https://harbour.example/orrin/) for data. The sea[^salt] is wide.
//!
//! [^salt]: And salty.

/// A height with its uncertainty.
///
/// Levels are compared by [`metres`](Level::metres) alone:
///
/// ```
/// # use ebbtide::Level;
/// assert!(Level::new(1.0) < Level::new(2.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Level {
    /// Height above the station's datum.
    pub metres: f64,
    /// Half the width of the range that holds the true level in 95 of 100 cases.
    pub spread: f64,
}

impl Level {
    /// A level that is known exactly.
    pub fn new(metres: f64) -> Self { Level { metres, spread: 0.0 } }
}

impl std::ops::Add for Level {
    type Output = Level;
    /// Adds two levels; their spreads add as squares.
    fn add(self, other: Level) -> Level { Level { metres: self.metres + other.metres, spread: 0.0 } }
}

/// A station that reports water levels.
///
/// # Examples
///
/// Several stations at once:
///
/// ```no_run
/// use ebbtide::Gauge;
///
/// let names = ["kelvick", "orrin-pier"];
/// let gauges: Vec<_> = names
///     .iter()
///     .filter_map(|name| Gauge::open(name).ok())
///     .collect();
/// ```
///
/// In a shell:
///
/// ```sh
/// $ ebbtide level kelvick | sort -n
/// ```
///
/// 1. Open the gauge.
/// 2. Ask it.
///    * once, or
///    * often
pub struct Gauge { name: String }

impl Gauge {
    /// Opens a station by its name in the configuration.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownStation`] if no station has that name.
    pub fn open(name: &str) -> Result<Self, Error> { Ok(Gauge { name: name.to_owned() }) }

    /// Predicts one level an hour.
    ///
    /// # Panics
    ///
    /// When `hours` is more than **8760**.
    pub fn predict(&self, hours: usize) -> impl Iterator<Item = Level> { (0..hours).map(|_| Level::default()) }

    /// Name of the station.
    #[deprecated(since = "4.1.0", note = "use `to_string`")]
    pub fn name(&self) -> &str { &self.name }
}

/// What can go wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No station has the given name.
    UnknownStation(String),
    /// The last reading is older than allowed.
    Stale {
        /// Seconds since the last reading.
        age: u64,
    },
}

/// Anything that can be read for a level.
pub trait Sensor {
    /// What kind it is, such as `radar`.
    const KIND: &'static str;
    /// Reads it once.
    fn read(&mut self) -> Option<Level>;
    /// Reads it `n` times and takes the middle one.
    fn read_middle(&mut self, n: usize) -> Option<Level> { let _ = n; self.read() }
}

/// Splits readings into constituents; at least 29 days of them.
pub fn harmonics<'a, I>(readings: I) -> Vec<(&'static str, f64)>
where
    I: IntoIterator<Item = &'a Level>,
{ let _ = readings; Vec::new() }

/// What the weather adds to the tide.
pub mod surge {
    /// Metres for each hectopascal below 1013.
    pub const METRES_PER_HPA: f64 = 0.01;
    /// The surge for a pressure.
    pub fn at(pressure: f64) -> f64 { (1013.0 - pressure) * METRES_PER_HPA }
}
