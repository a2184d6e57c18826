import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where bundles of workflows, and modules that they are made of, are kept. */
export const bundlesFolder = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treeos', 'bundles')
