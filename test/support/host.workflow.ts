/** Workflows of a host that has beings beside them. It does not export ours. */

/** More than a payload of ours may have. */
export async function lengthyWorkflow(length: number): Promise<string> {
  return 'x'.repeat(length)
}

/** A name that is near to one of ours. */
export async function taskWorkflow(): Promise<string> {
  return 'the task of the host'
}
