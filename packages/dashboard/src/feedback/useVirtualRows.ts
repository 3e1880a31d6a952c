import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react"

interface Options {
  readonly count: number
  /** The height of each row, in pixels. */
  readonly rowHeight: number
  readonly keyOf: (index: number) => string | number
  /** Called when the last row that was read comes near. */
  readonly onNearEnd: () => void
}

interface VirtualRow {
  readonly key: string | number | bigint
  readonly index: number
  /** The row's height, in pixels. */
  readonly height: number
  /** From the top of the list. */
  readonly offset: number
}

interface VirtualRows {
  /** The element that the rows stand in. */
  readonly list: RefObject<HTMLDivElement | null>
  readonly rows: ReadonlyArray<VirtualRow>
  /** The height of all rows together, in pixels. */
  readonly totalHeight: number
}

const OVERSCAN = 8
/** Rows before the end at which the next page is asked for. */
const NEAR_END = 40

/** Gives the rows of a long list that are on the screen, as the window is scrolled. */
export const useVirtualRows = ({ count, keyOf, onNearEnd, rowHeight }: Options): VirtualRows => {
  const list = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  // What stands above the list grows and shrinks.
  useLayoutEffect(() => {
    const offset = (list.current?.getBoundingClientRect().top ?? 0) + globalThis.scrollY
    if (Math.abs(offset - top) > 1) setTop(offset)
  })
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: keyOf
  })
  const { measure } = virtual
  useEffect(() => measure(), [rowHeight, measure])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= count - NEAR_END) onNearEnd()
  }, [last, onNearEnd, count])
  return {
    list,
    rows: items.map(({ index, key, size, start }) => ({ index, key, height: size, offset: start - top })),
    totalHeight: virtual.getTotalSize()
  }
}
