/** Gives the field of a row that was made so long ago. **Shape** a second more, since a test takes its time. */
export const aged = (ms: number) => ({ createdAt: new Date(Date.now() - ms - 1_000).toISOString() })
