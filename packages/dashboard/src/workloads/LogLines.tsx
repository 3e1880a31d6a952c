/**
 * The lines of a log, with the text that the user looks for. The log is never interpreted as HTML.
 */
import { memo, type RefObject, useEffect, useRef } from "react"
import type { Match } from "./LogText.ts"

interface Props {
  readonly lines: ReadonlyArray<string>
  readonly matches: ReadonlyArray<Match>
  /** Length of the text that the user looks for. */
  readonly length: number
  /** The match that the user is at. */
  readonly current: Match | undefined
  readonly isWrapped: boolean
  /** True if the newest line stays in view. */
  readonly isFollowed: boolean
}

export const LogLines = ({ current, isFollowed, isWrapped, length, lines, matches }: Props) => {
  const box = useRef<HTMLPreElement>(null)
  useEndInView(box, lines, isFollowed && current === undefined)
  useEffect(() => {
    if (current !== undefined) box.current?.querySelector("[data-current]")?.scrollIntoView({ block: "center" })
  }, [current])
  const byLine = Map.groupBy(matches, ({ line }) => line)
  return (
    <pre ref={box} className="qd-log" data-wrap={isWrapped} tabIndex={0} role="log" aria-label="Log" aria-live="off">
      {lines.map((text, index) => (
        <Line
          key={index}
          text={text}
          starts={
            byLine
              .get(index)
              ?.map(({ start }) => start)
              .join(",") ?? ""
          }
          length={length}
          current={current?.line === index ? current.start : undefined}
        />
      ))}
    </pre>
  )
}

/** Scrolls to the end when the log opens, and with new lines while the user has not scrolled up. */
const useEndInView = (
  box: RefObject<HTMLPreElement | null>,
  lines: ReadonlyArray<string>,
  isFollowed: boolean
): void => {
  const wasAtEnd = useRef(true)
  useEffect(() => {
    const { current } = box
    if (current === null) return undefined
    const note = () => {
      wasAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END_PX
    }
    current.addEventListener("scroll", note)
    return () => current.removeEventListener("scroll", note)
  }, [box])
  useEffect(() => {
    const { current } = box
    if (current !== null && (wasAtEnd.current || !isFollowed)) current.scrollTop = current.scrollHeight
  }, [box, isFollowed, lines])
}

const NEAR_END_PX = 40

interface LineProps {
  readonly text: string
  /** Starts of the matches, separated by commas: a text, so that unchanged lines are not rendered again. */
  readonly starts: string
  readonly length: number
  readonly current: number | undefined
}

const Line = memo(({ current, length, starts, text }: LineProps) => {
  if (starts === "") return <span className="qd-log-line">{`${text}\n`}</span>
  const parts = []
  let end = 0
  for (const start of starts.split(",").map(Number)) {
    parts.push(
      text.slice(end, start),
      <mark key={start} data-current={start === current ? "" : undefined}>
        {text.slice(start, start + length)}
      </mark>
    )
    end = start + length
  }
  return (
    <span className="qd-log-line">
      {parts}
      {`${text.slice(end)}\n`}
    </span>
  )
})
