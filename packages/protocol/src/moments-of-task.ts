/**
 * Most moments of one workflow task of a being. Those that no history attests are at most as many, because
 * Temporal learns of them when their task ends.
 */
export const MOMENTS_OF_TASK_MAX = 16
