import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../machine/files.ts'
import { stopInstance } from './stop.ts'

/** Stops an instance and deletes its folder, and its cluster if that is elsewhere. */
export async function removeInstance(dataDir: string): Promise<void> {
  await stopInstance(dataDir)
  const elsewhere = readIfThere(join(dataDir, 'postgres', 'elsewhere'))
  if (elsewhere !== null) rmSync(elsewhere, { recursive: true, force: true })
  rmSync(dataDir, { recursive: true, force: true })
}
