import { useEffect, useRef } from "react"

/**
 * Names the page in the browser's title, and gives the heading that a page takes the focus to when it opens, so that
 * readers of the keyboard and of screen readers start where the new page does.
 */
export const useTitle = (title: string) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} - Quarterdeck`
    heading.current?.focus()
  }, [title])
  return heading
}
