/** Our workflow types, for a worker that has workflows of its own: its workflow module exports them again. */
export * from '@treeos/workflows/workflows'
