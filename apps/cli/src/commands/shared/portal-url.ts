import { TreeosError } from '@treeos/core'
import type { InstanceOptions } from '../../cli.ts'
import { readStatus } from '../../health/status.ts'
import { dataDirOf } from '../../instance/data-dir.ts'

/** Where the portal of an instance is. @throws {TreeosError} SERVICE_UNAVAILABLE when none runs */
export async function portalUrl(options: InstanceOptions): Promise<string> {
  const { portal } = await readStatus(dataDirOf(options))
  if (portal.url !== null) return portal.url
  throw new TreeosError('SERVICE_UNAVAILABLE', 'no portal runs here: `treeos up` starts one')
}
