/**
 * Costs by day as small bars.
 */
import type { OverviewCost } from "../api/OverviewQueries.ts"
import { daysText } from "./OverviewText.ts"

/** Sizes in units of the drawing. */
const BAR = 8
const GAP = 3
const HEIGHT = 40
/** Height of a day without data, and the least height of one with data. */
const LEAST = 2

/** Bars of equal width, the last for today. **Shape** a day without data is a dash at the bottom, never a bar of zero. */
export const Sparkline = ({ currency, perDay }: Pick<OverviewCost, "currency" | "perDay">) => {
  const most = Math.max(...perDay.map(({ cost }) => cost), 0)
  const width = perDay.length * (BAR + GAP) - GAP
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={daysText({ currency, perDay })}
      className="qd-spark"
      preserveAspectRatio="none"
    >
      {perDay.map(({ cost, day, hoursCovered }, index) => {
        const isKnown = hoursCovered > 0
        const height = isKnown && most > 0 ? Math.max(LEAST, (cost / most) * HEIGHT) : LEAST
        const isToday = index === perDay.length - 1
        return (
          <rect
            key={day}
            x={index * (BAR + GAP)}
            y={HEIGHT - height}
            width={BAR}
            height={height}
            className={isKnown ? (isToday ? "qd-spark-today" : "qd-spark-day") : "qd-spark-gap"}
          />
        )
      })}
    </svg>
  )
}
