/** Anchors and links of Markdown pages. */

/** Returns the anchors that GitHub makes from the titles of a Markdown page. The second anchor of a name ends with `-1`. */
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

/** Returns the targets of the links of a Markdown page. */
export const linksOf = (page: string): ReadonlyArray<string> =>
  [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)

/** Removes code blocks, which contain neither titles nor links. */
const withoutCode = (page: string): string => page.replaceAll(/^ *```.*?^ *```/gms, "")
