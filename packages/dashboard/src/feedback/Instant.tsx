/**
 * Points in time, relative to now or by the user's locale and zone.
 */
import { Text, Tooltip } from "@mantine/core"
import { DateTime, Option } from "effect"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Units with the distance from which each is used. Ninety days are shown as days, not as three months. */
const STEPS: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, length: number, from: number]> = [
  ["year", 365 * DAY_MS, 2 * 365 * DAY_MS],
  ["month", (365 * DAY_MS) / 12, 180 * DAY_MS],
  ["day", DAY_MS, 2 * DAY_MS],
  ["hour", HOUR_MS, HOUR_MS],
  ["minute", MINUTE_MS, MINUTE_MS]
]

// Making a formatter is slow, so each is made once.
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

/** Prints the distance between a moment and now. **Example** `in 90 days`, `2 hours ago`, `just now` */
const distanceOf = (atMs: number, nowMs: number): string => {
  const away = atMs - nowMs
  const step = STEPS.find(([, , from]) => Math.abs(away) >= from)
  if (step === undefined) return away > 0 ? "in less than a minute" : "just now"
  const [unit, length] = step
  return relative.format(Math.round(away / length), unit)
}

/** Prints a moment with date and time, by the user's locale and zone. */
export const fullTextOf = (at: DateTime.Utc): string => full.format(DateTime.toEpochMillis(at))

interface Props {
  readonly at: DateTime.Utc | undefined
  /** Text shown if `at` is undefined. */
  readonly none: string
}

export const Instant = ({ at, none }: Props) =>
  at === undefined ? (
    <Text span size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
      {none}
    </Text>
  ) : (
    <Tooltip label={fullTextOf(at)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={DateTime.formatIso(at)}>
        <Text span size="sm" style={{ whiteSpace: "nowrap" }}>
          {distanceOf(DateTime.toEpochMillis(at), new Date().getTime())}
        </Text>
      </time>
    </Tooltip>
  )

/** Prints the time of day, by the user's locale and zone. */
export const clockTimeOf = (atMs: number): string => clock.format(atMs)

/** A moment in a long list. It uses `title`, because a tooltip component in each row is slow. */
export const PlainTimestamp = ({ at }: { readonly at: string }) => {
  const atMs = Date.parse(at)
  return (
    <time dateTime={at} title={full.format(atMs)}>
      {distanceOf(atMs, new Date().getTime())}
    </time>
  )
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const parts = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit" } as const
const ofThisYear = new Intl.DateTimeFormat(undefined, parts)

interface ExactProps {
  readonly at: DateTime.Utc
  /** Omits the year if it is the current one. */
  readonly isBrief?: boolean
}

/** A moment to the second, by the user's locale and zone. */
export const ExactTime = ({ at, isBrief = false }: ExactProps) => {
  const iso = DateTime.formatIso(at)
  const date = new Date(iso)
  const format = isBrief && date.getFullYear() === new Date().getFullYear() ? ofThisYear : exact
  return (
    <time dateTime={iso} title={iso}>
      {format.format(date)}
    </time>
  )
}

/** A moment in RFC 3339, relative to now. */
export const Timestamp = ({ at }: { readonly at: string }) => (
  <Instant at={Option.getOrUndefined(DateTime.make(at))} none="Never" />
)
