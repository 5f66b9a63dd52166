export { type Asked, type AskRobotsDeps, askRobots } from './ask-robots.ts';
export { hostLimits } from './host-limits.ts';
export { type Answered, type TurnDeps, type TurnRequest, takeTurn } from './take-turn.ts';
