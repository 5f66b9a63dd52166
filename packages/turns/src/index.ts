export { type Asked, type AskRobotsDeps, askRobots } from './ask-robots.ts';
export { hostLimits } from './host-limits.ts';
export { newHolder, originOf, type SiteDeps, type SiteRobots, siteRobots } from './site-robots.ts';
export { type Answered, type TurnDeps, type TurnRequest, takeTurn } from './take-turn.ts';
