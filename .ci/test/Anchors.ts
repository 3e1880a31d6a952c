/** The places within a page to which a link may lead. */

/** Gives the anchors of a page in Markdown, as GitHub makes them of its titles: the second of a name ends with `-1`. */
export const anchorsOf = (page: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, title = ""] of withoutCode(page).matchAll(/^#+ (.+)$/gm)) {
    const name = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
    let anchor = name
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Gives where the links of a page in Markdown lead. */
export const linksOf = (page: string): ReadonlyArray<string> =>
  [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)

/** What a reader copies has neither. */
const withoutCode = (page: string): string => page.replaceAll(/^ *```.*?^ *```/gms, "")
