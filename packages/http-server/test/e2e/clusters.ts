/** What every fleet of these suites is, whoever starts it. */
export const CLUSTERS = { parent: "hub", children: ["prod", "stage"], users: [{ name: "reader" }] } as const
