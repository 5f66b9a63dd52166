# Clears up after a renderer, however that ended: waits until the process that started it is gone or lets it go (either
# closes its standard input), then ends every process that works in the directory, and removes that.
trap '' INT TERM HUP
cat >/dev/null
rounds=0
while [ "$rounds" -lt 50 ]; do
  found=
  # The list is made before grep starts, so that grep does not find itself.
  for file in $(grep -alsF -- "$1" /proc/[0-9]*/cmdline 2>/dev/null); do
    pid=${file#/proc/}
    pid=${pid%/cmdline}
    [ "$pid" = "$$" ] && continue
    kill -9 "$pid" 2>/dev/null && found=yes
  done
  [ -z "$found" ] && break
  rounds=$((rounds + 1))
  sleep 0.1
done
rm -rf -- "$1"
