/** Workflows of a host that took the name of one of ours. */
export * from '@treeos/host/workflows'

/** It performs no effect. */
export async function treeosTask(): Promise<string> {
  return 'the task of the host'
}
