import { instanceDir } from '@treeos/local'
import type { InstanceOptions } from '../cli.ts'
import { userPath } from '../text/folder.ts'

/** The folder of the instance that a command works on. */
export const dataDirOf = ({ data }: InstanceOptions): string =>
  instanceDir({ data: data === undefined ? undefined : userPath(data) })
