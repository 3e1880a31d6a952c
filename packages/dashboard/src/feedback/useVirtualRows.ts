import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react"

interface Options {
  readonly count: number
  /** Height of each row, in pixels. */
  readonly rowHeight: number
  readonly keyOf: (index: number) => string | number
  /** Called when the user scrolls near the last loaded row. */
  readonly onNearEnd: () => void
}

interface VirtualRow {
  readonly key: string | number | bigint
  readonly index: number
  /** Height of the row, in pixels. */
  readonly height: number
  /** Distance from the top of the list, in pixels. */
  readonly offset: number
}

interface VirtualRows {
  /** Element that contains the rows. */
  readonly list: RefObject<HTMLDivElement | null>
  readonly rows: ReadonlyArray<VirtualRow>
  /** Height of all rows together, in pixels. */
  readonly totalHeight: number
}

const OVERSCAN = 8
/** Distance from the last row, in rows, at which the next page is requested. */
const NEAR_END = 40

/** Returns the rows of a long list that are on the screen, as the window scrolls. */
export const useVirtualRows = ({ count, keyOf, onNearEnd, rowHeight }: Options): VirtualRows => {
  const list = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  // Measures after each render, because the height of the content above the list can change.
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
