import { instanceDir } from '@treeos/local'
import type { InstanceOptions } from '../cli.ts'

/** The folder of the instance that a command works on. */
export const dataDirOf = ({ data }: InstanceOptions): string => instanceDir({ data })
