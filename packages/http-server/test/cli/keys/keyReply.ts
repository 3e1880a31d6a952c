/** A key as the server tells it. */
export const apiKey = (id: string, facts: Record<string, unknown> = {}) => ({
  id,
  name: "ci",
  start: "qd_Ab3dEf",
  rule: { role: "Viewer" },
  status: "active",
  source: "created",
  createdAt: "2026-01-02T03:04:05.000Z",
  ...facts
})
