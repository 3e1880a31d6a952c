import { useEffect, useRef } from "react"

/**
 * Sets the browser's title and returns a ref for the page's heading, which gets the focus when the page opens. Keyboard and
 * screen reader users then start at the new page.
 */
export const useTitle = (title: string) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} - Quarterdeck`
    heading.current?.focus()
  }, [title])
  return heading
}
