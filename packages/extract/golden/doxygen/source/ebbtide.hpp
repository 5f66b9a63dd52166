/** @file ebbtide.hpp
 *  The whole of the C++ library. */
#pragma once
#include <string>
#include <vector>

/** @brief Reads and predicts tides. */
namespace ebbtide {

/** @brief The zero of a scale of heights. */
enum class Datum {
  LAT, ///< lowest astronomical tide
  MSL, ///< mean sea level
  CD   ///< chart datum
};

/**
 * @brief A height with its uncertainty.
 *
 * Levels can be added:
 * @code{.cpp}
 * ebbtide::Level a{1.84, 0.03};
 * auto sum = a + ebbtide::Level{0.10, 0.01};
 *
 * std::cout << sum.metres << " m\n";   // 1.94 m
 * @endcode
 */
struct Level {
  double metres; ///< Height above the datum.
  double spread; ///< Half the width of the range that holds the true level.
  /** Adds two levels. @param other of the same datum @return the sum */
  Level operator+(const Level &other) const;
};

/**
 * @brief A station that reports water levels.
 *
 * | Kind     | Error in calm | Error in storm |
 * |----------|--------------:|---------------:|
 * | radar    | 3 mm          | 20 mm          |
 * | float    | 5 mm          | 60 mm          |
 *
 * @note Not safe for use by several threads.
 * @warning A level above chart datum is not a level above mean sea level.
 * @see Level
 */
class Gauge {
public:
  /**
   * @brief Opens a station by its name.
   * @param name Name of the station, lower case.
   * @param cache Keep readings on disk between runs.
   * @throws std::out_of_range if no station has that name.
   */
  explicit Gauge(const std::string &name, bool cache = true);

  /**
   * @brief The level at one moment.
   * @param when Seconds since 1970.
   * @return The level, interpolated between two readings.
   * @since 2.0
   */
  Level level_at(long when) const;

  /**
   * @brief Predicts levels.
   *
   * Steps:
   * 1. take the constituents,
   * 2. turn them on,
   *    - first the moon,
   *    - then the sun,
   * 3. add.
   *
   * @tparam Out where the levels go
   * @param[out] out Receives the levels.
   * @param[in] count How many.
   * @deprecated Use level_at() with a time to come.
   */
  template <typename Out> void predict(Out out, std::size_t count) const;

  static const int max_gap = 90; ///< Minutes that are bridged.

private:
  std::string name_;
};

/** @brief Splits readings into constituents. @param readings at least 29 days of them */
std::vector<double> harmonics(const std::vector<Level> &readings);

} // namespace ebbtide
