import type { DoctorReport } from '../health/doctor.ts'
import { coloured, oneLine, table } from '../text/output.ts'

const checkState = (ok: boolean, optional: boolean | undefined): string => {
  if (ok) return coloured('green', 'ok')
  return optional ? coloured('yellow', 'warn') : coloured('red', 'WRONG')
}

export function describeChecks({ checks }: DoctorReport): string {
  const rows = checks.flatMap(({ name, ok, optional, found, mend }) => [
    [checkState(ok, optional), name, oneLine(found)],
    ...(mend === null ? [] : [['', '', `mend: ${mend}`]]),
  ])
  return table(rows)
}
