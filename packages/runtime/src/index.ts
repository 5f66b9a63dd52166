export { type LuaScript, loadLua, runLua, runLuaAfter } from './lua.ts';
