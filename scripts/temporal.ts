/**
 * Gets the server of Temporal that tests with services start, which may mean to build it. The whole check
 * begins with it: the steps before those tests leave much of the second processor idle. Whoever needs the
 * server meanwhile waits for this build.
 */
import { setPriority } from 'node:os'
import { findTemporal } from '../packages/local/src/temporal/find.ts'
import { defaultCacheDir } from '../packages/local/src/temporal/temporal.ts'

setPriority(10)
const { env } = process
if (!env.TEMPORAL_ADDRESS) {
  const onProgress = (line: string) => console.error(line)
  await findTemporal({ env, path: env.PATH ?? '', cacheDir: defaultCacheDir(env), onProgress })
}
