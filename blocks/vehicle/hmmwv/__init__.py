"""The HMMWV with double wishbones: body, whole vehicle, and suspension rig."""
