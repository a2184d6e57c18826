import { forPackage } from '../../tsdown.config.base.ts'

export default forPackage()
