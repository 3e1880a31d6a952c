/**
 * Judges pages as they are opened: whether everybody can use them, and whether they keep to their policy and server.
 */
import { AxeBuilder } from "@axe-core/playwright"
import type { Page } from "playwright-core"

/** Gives what is wrong with the pages of a walk. **Shape** empty where nothing is. */
export const auditOf = async (page: Page, url: string, walk: AsyncIterable<string>): Promise<ReadonlyArray<string>> => {
  const broken: Array<string> = []
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) broken.push(message.text())
  })
  page.on("pageerror", (error) => void broken.push(error.message))
  page.on("request", (request) => {
    if (!/^(?:blob|data):/.test(request.url()) && !request.url().startsWith(url)) broken.push(request.url())
  })
  for await (const name of walk) {
    // A page that the walk has come to without a load has it: to read its 1.5 MB takes as long as to judge with it.
    const isThere = await page.evaluate<boolean>("'axe' in window")
    const builder = new AxeBuilder(isThere ? { page, axeSource: "void axe" } : { page })
    // No page has a frame, so that one script does it all; what passes is not gone through in full.
    const axe = builder.options({ resultTypes: ["violations"] }).setLegacyMode(true)
    const { violations } = await axe.analyze()
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    broken.push(...serious.map(({ id, nodes }) => `${name}: ${id} ${nodes.map(({ html }) => html).join(" ")}`))
    const isWider = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth")
    if (isWider) broken.push(`${name} is wider than the window`)
  }
  return broken
}
