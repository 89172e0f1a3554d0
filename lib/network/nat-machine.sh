#!/bin/bash
# The start of a NAT machine: once, as root, on Amazon Linux 2023. It tells CloudFormation whether the machine forwards.
# NAT_CIDR: addresses of the network. NAT_PROBE_URL: an address outside, where any answer will do.
# NAT_READY_URL: takes the outcome (AWS::CloudFormation::WaitConditionHandle). Decision D186.
set -uo pipefail

# Tries of a failing command, seconds between them, and seconds after the start in which another one may begin.
tries=60
pause_seconds=10
most_seconds=900
swap_mib=1024

rules=/etc/nftables/nat-machine.nft
unit=/etc/systemd/system/nat-machine.service
output=$(mktemp)

again() {
  local try
  for ((try = 1; try <= tries && SECONDS < most_seconds; try++)); do
    "$@" && return
    sleep "$pause_seconds"
  done
  return 1
}

# A package manager beside the agent of Systems Manager needs more than the memory of a small machine.
add_swap() {
  swapon --show=NAME --noheadings | grep -q '^/swapfile$' && return
  dd if=/dev/zero of=/swapfile bs=1M count="$swap_mib" && chmod 600 /swapfile && mkswap /swapfile && swapon /swapfile &&
    echo '/swapfile none swap defaults 0 0' >> /etc/fstab
}

# Amazon Linux has neither nft nor iptables. Another process may hold the lock of the packages, and mirrors fail.
install_nft() {
  command -v nft || timeout 120 dnf --assumeyes --setopt=retries=2 --setopt=timeout=15 install nftables
}

write_rules() {
  mkdir -p "$(dirname "$rules")" &&
    cat > "$rules" <<RULES &&
table ip nat_machine
delete table ip nat_machine
table ip nat_machine {
  chain leave {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr $NAT_CIDR ip daddr != $NAT_CIDR masquerade
  }
}
RULES
    printf '%s\n' 'net.ipv4.ip_forward = 1' 'net.ipv4.conf.all.send_redirects = 0' > /etc/sysctl.d/90-nat-machine.conf &&
    cat > "$unit" <<UNIT
[Unit]
Description=Translates the addresses of private subnets
Wants=network-online.target
After=network-online.target nftables.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/sysctl --load=/etc/sysctl.d/90-nat-machine.conf
ExecStart=$(command -v nft) --file $rules

[Install]
WantedBy=multi-user.target
UNIT
}

# As a unit, so that it also happens after a reboot.
forward() {
  systemctl daemon-reload && systemctl enable nat-machine.service && systemctl restart nat-machine.service &&
    [[ $(cat /proc/sys/net/ipv4/ip_forward) == 1 ]] && nft list table ip nat_machine | grep masquerade
}

reach_outside() {
  curl --silent --show-error --max-time 10 --output /dev/null "$NAT_PROBE_URL"
}

report() {
  local status=$1 reason
  reason=$(tr -c 'A-Za-z0-9 .,:;/_()=-' ' ' <<< "$2" | tail -c 500)
  echo "$status: $reason"
  again curl --silent --show-error --fail --max-time 10 --request PUT --header 'Content-Type:' \
    --data-binary "{\"Status\":\"$status\",\"UniqueId\":\"nat\",\"Reason\":\"$reason\",\"Data\":\"\"}" "$NAT_READY_URL"
}

for step in 'add_swap' 'again install_nft' 'write_rules' 'forward' 'again reach_outside'; do
  if ! $step > "$output" 2>&1; then
    cat "$output"
    # The time for steps is used up, that for the report is not.
    SECONDS=0
    report FAILURE "${step#again } failed: $(tail -n 1 "$output")"
    exit 1
  fi
  cat "$output"
done
report SUCCESS 'The machine forwards.'
